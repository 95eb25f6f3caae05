// Islands: sets of movable bodies connected by contacts. What happens in one does not touch another.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace carom {

class IslandFinder {
 public:
  // pairs: the two bodies of each contact, -1 for one that cannot be moved.
  void find(std::span<const std::array<int, 2>> pairs, int body_count);

  // Contacts that join any number of bodies: contact c joins bodies[first[c]] ... bodies[first[c + 1] - 1], one at
  // least.
  void find(std::span<const int> first, std::span<const int> bodies, int body_count);

  int count() const { return count_; }
  int largest() const;                                                    // contacts in the largest island
  std::span<const int> island_of_contact() const { return of_contact_; }  // numbered by first contact

 private:
  int root(int body);
  void join(int a, int b);
  void number_islands(std::size_t contacts, auto&& body_of_contact);

  std::vector<int> parent_;      // per body: union-find forest
  std::vector<int> number_;      // per body: island number of a root, or -1
  std::vector<int> of_contact_;  // per contact
  std::vector<int> sizes_;       // per island: contacts
  int count_ = 0;
};

}  // namespace carom
